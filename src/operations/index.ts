import type { Operation } from '../operation.ts';
import { memoryForget } from './memory.forget.ts';
import { memoryGet } from './memory.get.ts';
import { memoryRemember } from './memory.remember.ts';
import { memoryRevise } from './memory.revise.ts';
import { memorySearch } from './memory.search.ts';
import { preflightAction } from './preflight.action.ts';
import { preflightReport } from './preflight.report.ts';

/** The seven verbs. */
export const operations: readonly Operation[] = [memoryRemember, memorySearch, memoryGet, memoryRevise, memoryForget, preflightAction, preflightReport];
