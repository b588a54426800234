const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A method as a label. Those that no route takes are one, so that callers cannot make up series. */
export function labelOfMethod(method: string): string {
  return METHODS.has(method) ? method : 'other'
}

/** `2xx` to `5xx`. */
export function statusClass(status: number): string {
  return `${Math.trunc(status / 100)}xx`
}
