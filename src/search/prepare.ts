import type { Embedder } from '../embedding/embedder.ts';
import { Failure } from '../failure.ts';
import { memoryId, normalizeContent } from '../memory/identity.ts';
import { analyze } from '../ranking/terms.ts';
import { readFlags } from '../screening/instruction-like.ts';
import type { Draft } from '../store/draft.ts';

/** A text's identity and all that search will read of it. */
export type Prepared = Pick<Draft, 'id' | 'content' | 'flags' | 'terms' | 'length' | 'vector'>;

/** Analyzes and embeds texts together. A text is never refused for lack of a vector: it is filled in later. */
export async function prepare(
  tenantId: string,
  texts: readonly { content: string; scopeKey: string | null; occurredAt?: Date | undefined; beside?: Beside | undefined }[],
  embedder: Embedder,
): Promise<Prepared[]> {
  const contents = texts.map(({ content }) => normalizeContent(content));
  const vectors = await embedOrNone(embedder, contents, 'passage');
  return texts.map(({ scopeKey, occurredAt, beside }, at) => {
    const content = contents[at] as string;
    return { id: memoryId(tenantId, scopeKey, content), content, flags: screen(content, beside), ...analyze(content, occurredAt), vector: vectors?.[at] };
  });
}

/** What is shown along with a content. */
export type Beside = { [Field in 'tags' | 'source' | 'rule']?: Draft[Field] | undefined };

/** The flags of a memory, of whatever kind: whether they show is for the kind to say, which may change. */
export function screen(content: string, { tags = [], source, rule }: Beside = {}): string[] {
  const texts = [content, source?.title, source?.uri, rule?.message, tags.join(' ')];
  return readFlags(texts.filter((text) => text !== undefined && text !== '').join('\n\n'));
}

/** Vectors, or undefined when the embedder cannot answer now. */
export async function embedOrNone(embedder: Embedder, texts: readonly string[], role: 'query' | 'passage'): Promise<Float32Array[] | undefined> {
  try {
    return await embedder.embed(texts, role);
  } catch (error) {
    if (error instanceof Failure && error.code === 'dependency_unavailable') return undefined;
    throw error;
  }
}
