/** What buttons in the view ask of the conversation. */
export interface ViewActions {
  send(text: string): void
  stop(): void
  retry(): void
  checkAgain(outputId: string): void
  cancelWait(outputId: string): void
  decide(approvalId: string, decision: 'approve' | 'decline'): void
  rate(answerId: string, value: 1 | -1 | null): void
  signIn(): void
  clear(): void
}
