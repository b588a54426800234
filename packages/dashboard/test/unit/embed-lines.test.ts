import { expect, test } from 'vitest'
import { EMBED_KINDS, type EmbedKind, embedLines, embedSnippet, PLAIN } from '../../src/routes/runtimes/embed-lines.ts'

const ORIGIN = 'https://svc.example.com'
const HOSTILE = `"><script>alert(1)</script>&'\n\`\${1}`
const snippet = (kind: EmbedKind, choices: Partial<typeof PLAIN>) =>
  embedSnippet(kind, { origin: ORIGIN, publicKey: 'svc_pk_1', choices: { ...PLAIN, ...choices } })

test('without a choice the code is two lines, for a button in the corner', () => {
  expect(embedLines(ORIGIN, 'svc_pk_1')).toBe(
    `<script type="module" src="${ORIGIN}/widget.js"></script>\n<svc-chat public-key="svc_pk_1" launcher></svc-chat>`,
  )
})

test('what was typed stays a text in markup, and in code', () => {
  for (const kind of ['script', 'npm'] as const) {
    expect(snippet(kind, { greeting: HOSTILE })).toContain(
      `greeting="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;'&#10;\`\${1}"`,
    )
  }
  for (const kind of ['react', 'next'] as const) {
    expect(snippet(kind, { greeting: HOSTILE })).toContain(`greeting: ${JSON.stringify(HOSTILE)},`)
  }
})

test.each(Object.keys(EMBED_KINDS) as EmbedKind[])('%s has every choice', (kind) => {
  const choices = {
    color: '#ffee00',
    theme: 'dark',
    direction: 'rtl',
    position: 'page',
    suggestions: 'One\n\nTwo',
  } as const
  const code = snippet(kind, choices)
  for (const part of ['#ffee00', '#000', 'dark', 'rtl']) expect(code).toContain(part)
  expect(code).toMatch(/One(&#10;|\\n)Two/)
  expect(code).not.toContain('launcher')
})
