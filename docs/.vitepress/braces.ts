import type { MarkdownRenderer } from 'vitepress'

/** Has `{{` of a page stand as it is: VitePress makes a template of Vue of each page, which would evaluate it. */
export function bracesAsText({ renderer }: MarkdownRenderer): void {
  for (const name of ['text', 'code_inline'] as const) {
    const render = renderer.rules[name]
    if (render === undefined) throw new Error(`markdown-it has no rule named ${name} any more`)
    renderer.rules[name] = (...token) => render(...token).replaceAll('{{', '&#123;&#123;')
  }
}
