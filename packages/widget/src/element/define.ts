import { type AnswerDetail, type SignInDetail, SvcChatElement } from './svc-chat.ts'

declare global {
  interface HTMLElementTagNameMap {
    'svc-chat': SvcChatElement
  }
}

if (globalThis.customElements && !customElements.get('svc-chat')) customElements.define('svc-chat', SvcChatElement)

export type { AnswerDetail, SignInDetail }
export { SvcChatElement }
