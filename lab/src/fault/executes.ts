import { ExecuteResponse } from '@svc/contract'
import { type Client, type ClientReply, type ClientRequest, parsed } from '../support/client.ts'
import { saying } from '../support/environment.ts'

/** The answer of an execute, as its caller has it when the connection is over. */
export interface ExecutionReply extends ClientReply {
  /** The body of the answer, or of the `done` event; null where there was none. */
  result: Pick<ExecuteResponse, 'executionId' | 'status' | 'error'> | null
  /** Anything after `done`. */
  hasMore: boolean
}

export interface ExecuteCall extends Partial<ClientRequest> {
  tag: string
  isStream: boolean
}

/** The body of an execute that the model double knows by its tag, and its row by its metadata. */
export function taggedBody(tag: string) {
  return { messages: saying(`tag:${tag} `), metadata: { tag } }
}

/** An execute with a conversation that carries the tag, or another call that answers in the same form. */
export async function execute(client: Client, { tag, isStream, ...call }: ExecuteCall): Promise<ExecutionReply> {
  const headers = isStream ? { accept: 'text/event-stream' } : {}
  const reply = await client.send({ path: '/v1/runtime/execute', body: taggedBody(tag), headers, ...call })
  return { ...reply, ...resultOf(reply) }
}

function resultOf({ connectionError, headers, text }: ClientReply): Pick<ExecutionReply, 'result' | 'hasMore'> {
  if (connectionError !== null) return { result: null, hasMore: false }
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const [, done = '', more] = isStream ? text.split(/(?:^|\n\n)(?:id: \d+\n)?event: done\ndata: /) : [undefined, text]
  const [data = '', ...rest] = done.split('\n\n')
  const hasMore = more !== undefined || rest.join('').replace(/^:.*$/gm, '').trim() !== ''
  return { result: ExecuteResponse.safeParse(parsed(data)).data ?? null, hasMore }
}
