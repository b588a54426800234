/**
 * How far the end of the service has come. From `closing` on it is not ready, and every answer closes its connection; in
 * `refusing` no request is taken any more.
 */
export interface DrainState {
  phase: 'serving' | 'closing' | 'refusing'
}
