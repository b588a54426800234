/** How a capability call ended. A failure is a value: its message is fit for a model and for a stranger. */
export type CallResult =
  | { ok: true; output: unknown; durationMs: number }
  | { ok: false; message: string; durationMs: number }
