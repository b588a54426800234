/** What puts a runtime’s chat onto a page: the script that the service at `origin` has for everybody, and the element. */
export function embedLines(origin: string, publicKey: string): string {
  return [
    `<script type="module" src="${origin}/widget.js"></script>`,
    `<svc-chat public-key="${publicKey}" launcher></svc-chat>`,
  ].join('\n')
}
