import type { Sign } from './phrase-match.ts';

export interface Mark {
  weight: number;
  sign: Sign;
  pattern: RegExp;
}

/** Markup that a model may take for the frame of its own conversation. Held against plain text, in lower case. */
export const roleMarks: readonly Mark[] = [
  { weight: 2, sign: 'role', pattern: /<\|[a-z][a-z_]{1,30}\|>/ },
  { weight: 2, sign: 'role', pattern: /<<\/?sys>>|\[\/?inst\]|\[\/?(?:end of )?system (?:message|prompt)\]/ },
  { weight: 2, sign: 'role', pattern: /<\/?(?:system|assistant|human|system_prompt|system-reminder|tool_result|tool_results|function_calls|function_results|tool_calls?)>/ },
  { weight: 2, sign: 'role', pattern: /<invoke name=/ },
  { weight: 2, sign: 'role', pattern: /(?:begin|start of|new) (?:system|hidden) (?:prompt|message|instructions?)\b/ },
  { weight: 2, sign: 'role', pattern: /^#{1,6} ?instructions?:[^]*^#{1,6} ?response:/m },
  { weight: 2, sign: 'role', pattern: /^(?:human|user):[^]*^(?:assistant|ai):/m },
  { weight: 1, sign: 'role', pattern: /<\/?(?:admin|important|instructions?|root|override)>|^#{1,6} ?system:|^(?:system|developer): |\brole["']?\s{0,3}[:=]\s{0,3}["']?system\b|\[system\]/m },
  { weight: 1, sign: 'address', pattern: /(?:^|<!--)\s{0,3}(?:ai|llms?|(?:ai )?agents?|(?:ai )?assistants?|models?|bots?):/m },
  { weight: 1, sign: 'image', pattern: /!\[[^\]\n]{0,200}\]\(https?:[^)\n?]{0,300}\?[^)\n]{0,300}=/ },
];

/** A mark alone in code is a word about it: it frames nothing. */
export function withoutNamedMarks(text: string): string {
  return text.replaceAll(/`[^`\n]{1,40}`/g, (span) => (/^`\S+`$/.test(span) ? ' ' : span));
}
