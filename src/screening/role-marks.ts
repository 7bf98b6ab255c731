import type { Sign } from './phrase-match.ts';

interface Mark {
  weight: number;
  sign: Sign;
  /** All of them occur, in whatever order: one pattern over any distance would take quadratic time. */
  patterns: readonly RegExp[];
}

/** Markup that a model may take for the frame of its own conversation. Held against plain text, in lower case. */
const roleMarks: readonly Mark[] = [
  { weight: 2, sign: 'role', patterns: [/<\|[a-z][a-z_]{1,30}\|>/] },
  { weight: 2, sign: 'role', patterns: [/<<\/?sys>>|\[\/?inst\]|\[\/?(?:end of )?system (?:message|prompt)\]/] },
  {
    weight: 2,
    sign: 'role',
    patterns: [/<\/?(?:system|assistant|human|system_prompt|system-reminder|tool_result|tool_results|function_calls|function_results|tool_calls?)>/],
  },
  { weight: 2, sign: 'role', patterns: [/<invoke name=/] },
  { weight: 2, sign: 'role', patterns: [/(?:begin|start of|new) (?:system|hidden) (?:prompt|message|instructions?)\b/] },
  { weight: 2, sign: 'role', patterns: [/^#{1,6} ?instructions?:/m, /^#{1,6} ?response:/m] },
  { weight: 2, sign: 'role', patterns: [/^(?:human|user):/m, /^(?:assistant|ai):/m] },
  {
    weight: 1,
    sign: 'role',
    patterns: [
      /<\/?(?:admin|important|instructions?|root|override)>|^#{1,6} ?system:|^(?:system|developer): |\brole["']?\s{0,3}[:=]\s{0,3}["']?system\b|\[system\]/m,
    ],
  },
  { weight: 1, sign: 'address', patterns: [/(?:^|<!--)\s{0,3}(?:ai|llms?|(?:ai )?agents?|(?:ai )?assistants?|models?|bots?):/m] },
  { weight: 1, sign: 'image', patterns: [/!\[[^\]\n]{0,200}\]\(https?:[^)\n?]{0,300}\?[^)\n]{0,300}=/] },
];

export function findRoleMarks(plain: string): Mark[] {
  const unnamed = withoutNamedMarks(plain);
  return roleMarks.filter(({ patterns }) => patterns.every((pattern) => pattern.test(unnamed)));
}

/** A mark alone in code is a word about it: it frames nothing. */
function withoutNamedMarks(text: string): string {
  return text.replaceAll(/`[^`\n]{1,40}`/g, (span) => (/^`\S+`$/.test(span) ? ' ' : span));
}
