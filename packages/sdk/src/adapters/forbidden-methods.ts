// A web-standard Request cannot be made with them.
const FORBIDDEN = new Set(['CONNECT', 'TRACE', 'TRACK'])

/** False for the methods that never reach a handler: answer {@link methodNotAllowed}. */
export function canBeRequested(method: string): boolean {
  return !FORBIDDEN.has(method.toUpperCase())
}

/** The handler’s own answer to any method but POST. */
export function methodNotAllowed(): Response {
  return Response.json({ error: 'method_not_allowed' }, { status: 405, headers: { allow: 'POST' } })
}
