/** What both MCP legs and the refusals need to know of JSON-RPC 2.0; everything else is the SDK's. */
export type MessageId = string | number;

export interface Message {
  method: string;
  id?: unknown;
  params?: unknown;
}

export const rpcCodes = { parseError: -32_700, invalidRequest: -32_600 } as const;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isMessage(value: unknown): value is Message & Record<string, unknown> {
  return isRecord(value) && typeof value.method === 'string';
}

function isMessageId(id: unknown): id is MessageId {
  return typeof id === 'string' || Number.isInteger(id);
}

/** A message that wants an answer; without an id it is a notification. */
export function isRequest(message: Message): message is Message & { id: MessageId } {
  return isMessageId(message.id);
}

/** The id to answer under; null when the body is no single message. */
export function jsonRpcId(body: unknown): MessageId | null {
  return isRecord(body) && isMessageId(body.id) ? body.id : null;
}

export function jsonRpcError(id: MessageId | null, code: number, message: string, data?: unknown): unknown {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}
