import { RECEIVER_REFUSALS, type ReceiverRefusal } from '@svc/contract'

/** A refusal by its code, under the code’s own status. `message` is for the owner of the endpoint. */
export function refusal(code: ReceiverRefusal, message?: string): Response {
  return json(RECEIVER_REFUSALS[code], { error: code, ...(message !== undefined && { message }) })
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return jsonText(status, JSON.stringify(body), headers)
}

/** A response whose body is JSON text already. */
export function jsonText(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
}
