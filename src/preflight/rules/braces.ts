/** A glob that expands to more than this is refused rather than compiled. */
export const mostAlternatives = 1_024;

/**
 * `a/{b,c}/d` → `a/b/d`, `a/c/d`; braces without a comma stand for themselves.
 * @throws Error when they stand for too many alternatives.
 */
export function expandBraces(pattern: string): string[] {
  const pending = [pattern];
  const done: string[] = [];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = firstGroup(next);
    if (!group) done.push(next);
    else for (const choice of group.choices) pending.push(next.slice(0, group.start) + choice + next.slice(group.end));
    if (done.length + pending.length > mostAlternatives) throw new Error('too many alternatives');
  }
  return done;
}

function firstGroup(pattern: string): { start: number; end: number; choices: string[] } | undefined {
  for (let start = pattern.indexOf('{'); start >= 0; start = pattern.indexOf('{', start + 1)) {
    if (pattern[start - 1] === '\\') continue;
    const choices: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start; at < pattern.length; at += 1) {
      const char = pattern[at];
      if (char === '\\') at += 1;
      else if (char === '{') depth += 1;
      else if (char === ',' && depth === 1) {
        choices.push(pattern.slice(from, at));
        from = at + 1;
      } else if (char === '}') {
        depth -= 1;
        if (depth > 0) continue;
        if (choices.length === 0) break;
        return { start, end: at + 1, choices: [...choices, pattern.slice(from, at)] };
      }
    }
  }
  return undefined;
}
