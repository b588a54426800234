import { type AnswerDetail, SvcChatElement } from './svc-chat.ts'

declare global {
  interface HTMLElementTagNameMap {
    'svc-chat': SvcChatElement
  }
}

if (globalThis.customElements && !customElements.get('svc-chat')) customElements.define('svc-chat', SvcChatElement)

export type { AnswerDetail }
export { SvcChatElement }
