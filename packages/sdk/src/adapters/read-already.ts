import { readProperty } from '../calls/read-property.ts'

/** A request whose body somebody has read: the handler checks its headers, tells the owner and answers why it cannot go on. */
export async function readAlready(url: string, init: RequestInit): Promise<Request> {
  const request = new Request(url, { ...init, body: '-' })
  await request.text()
  return request
}

/** The handler’s answer to such a request, with how the framework is kept from reading bodies. */
export async function withAdvice(answer: Response, advice: string | undefined): Promise<Response> {
  if (answer.status !== 400 || advice === undefined) return answer
  const body: unknown = await answer.clone().json()
  const error = readProperty(body, 'error')
  if (error !== 'raw_body_required') return answer
  const message = `${readProperty(body, 'message')} ${advice}`
  return new Response(JSON.stringify({ error, message }), { status: answer.status, headers: answer.headers })
}
