import { type MarkdownNode, parseMarkdown } from '@svc/widget'
import fc from 'fast-check'
import { micromark } from 'micromark'
import { describe, expect, test } from 'vitest'
import { asHtml, normalised } from './support/as-html.ts'

const anyUrl = (url: string) => url

function read(text: string): MarkdownNode[] {
  return parseMarkdown(text, anyUrl).nodes
}

/** What a reader of the whole standard makes of it, with what is not known here switched off. */
function standard(text: string): string {
  const off = ['htmlFlow', 'htmlText', 'labelStartImage', 'definition', 'codeIndented', 'setextUnderline', 'autolink']
  return normalised(micromark(text, { extensions: [{ disable: { null: off } }], allowDangerousProtocol: true }))
}

const SAMPLES = [
  'Plain words, and more.',
  '# One\n\n## Two ##\n\n###### Six\n\n####### Seven\n\n#none',
  'Some **bold**, *slanted*, __bold__, _slanted_ and ***both***.',
  'a*b*c and a_b_c and 2 * 3 * 4 and **not closed and *half** closed*',
  '**bold *slanted* bold** and *slanted **bold** slanted*',
  '*a **b*** and ***a** b* and **a*b**c*d**',
  '*`a` `b` `c` `d` x_ y* _d_',
  '`code` and ``co`de`` and ` a ` and `` ` `` and `not closed',
  'a `*not*` b \\*not\\* c \\` d \\q',
  'a\\\nb',
  '[link](https://a.example/x) and [**bold** link](https://a.example "title") and [a](<https://b.example/y>)',
  '[not] [not](  [a](b c) [](https://a.example) [a [b](https://c.example)](d.example)',
  'a (x) [b](https://a.example/(c))',
  '&amp; &lt;b&gt; &#65; &#x42; &copy; &nosuch; &#0;',
  '<b>markup</b> is <i>text</i>\n\n<script>alert(1)</script>\n\n<!-- so is this -->',
  '- a\n- b\n- c',
  '- a\n\n- b\n\n  more of b\n- c',
  '1. a\n2. b\n10. c\n\ntext',
  '3) a\n4) b',
  '- a\n  - b\n    - c\n  - d\n- e',
  '1. a\n   - b\n   - c\n2. d',
  '- a\n* b\n+ c',
  '- a\nlazy\n- b',
  'text\n- a\n- b\nlazy',
  'text\n1. a\n\ntext\n2. not a list',
  '> quote\n> more\nlazy\n\nnot',
  '> # heading\n>\n> - a\n> - b\n>\n> > deep',
  '> a\n\n> b',
  '> - a\n> - b\n- c',
  '```\ncode\n  more\n\n*not*\n```\nafter',
  '~~~js\nlet a = 1\n```\n~~~\n',
  '```\nnot closed',
  '- ```\n  code\n  ```\n- b',
  '---\n***\n_ _ _\n- - -',
  'text\n***\ntext',
  '- a\n---\n- b',
  '-\n- a\n\n-\n\n  b',
  '* * *\n* a',
  '',
  '\n\n  \n',
  'a  \nb',
  '\ta\n\n\tb',
]

describe('Markdown reads as by the standard', () => {
  test.each(SAMPLES)('%j', (text) => {
    expect(normalised(asHtml(read(text)))).toBe(standard(text))
  })

  const SIGNS = ['', '**', '_', '`', '``', '\\', '[', ']', '[x](/y)', '&lt;', '<i>']
  const BETWEEN = ['a', 'b c', ' ', '.', '(', ')']

  test('within a line, whatever signs come together', () => {
    const word = fc.tuple(fc.constantFrom(...SIGNS), fc.constantFrom(...BETWEEN)).map((pair) => pair.join(''))
    const line = fc.array(word, { maxLength: 24 }).map((words) => `x${words.join('')}`)
    fc.assert(
      fc.property(line, (text) => {
        expect(withoutTargets(normalised(asHtml(read(text))))).toBe(withoutTargets(standard(text)))
      }),
      { numRuns: 1500, ...seed() },
    )
  })

  const LINES = ['a', 'b', '', '', '# h', '- a', '- b', '  - c', '  d', '1. e', '2. f', '> q', '> - r', '---']

  test('in lines, whatever blocks follow each other', () => {
    const document = fc.array(fc.constantFrom(...LINES), { maxLength: 7 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(document, (text) => {
        expect(normalised(asHtml(read(text)))).toBe(standard(text))
      }),
      { numRuns: 1500, ...seed() },
    )
  })
})

describe('Markdown of any origin', () => {
  const linkTo = (url: string) => parseMarkdown(`[x](${url})`, (text) => (text.startsWith('https://') ? text : null))

  test('links lead where they may, and are their words otherwise', () => {
    expect(linkTo('https://a.example').nodes).toEqual([
      {
        type: 'paragraph',
        children: [{ type: 'link', url: 'https://a.example', children: [{ type: 'text', text: 'x' }] }],
      },
    ])
    expect(linkTo('javascript:alert(1)').nodes).toEqual([
      { type: 'paragraph', children: [{ type: 'text', text: 'x' }] },
    ])
  })

  test('an image is a link to it', () => {
    expect(asHtml(read('![A tent](https://a.example/t.png)'))).toBe(
      '<p><a href="https://a.example/t.png">A tent</a></p>',
    )
  })

  test.each([
    ['see https://a.example/b.', '<p>see <a href="https://a.example/b">https://a.example/b</a>.</p>'],
    ['(https://a.example)', '<p>(<a href="https://a.example">https://a.example</a>)</p>'],
    ['<https://a.example/?b=c>', '<p><a href="https://a.example/?b=c">https://a.example/?b=c</a></p>'],
    ['https://a.example/x_(y) z', '<p><a href="https://a.example/x_(y)">https://a.example/x_(y)</a> z</p>'],
    ['xhttps://a.example', '<p>xhttps://a.example</p>'],
    ['https://', '<p>https://</p>'],
  ])('addresses are links as they stand: %s', (text, html) => {
    expect(asHtml(read(text))).toBe(html)
  })

  test('more than may be shown is left out, and it is said', () => {
    const list = parseMarkdown(Array.from({ length: 10_000 }, (_, item) => `- item ${item}`).join('\n'), anyUrl)
    expect(list.isCut).toBe(true)
    expect(countOf(list.nodes)).toBeLessThanOrEqual(2000)
    const text = parseMarkdown('x'.repeat(100_000), anyUrl)
    expect([text.isCut, JSON.stringify(text.nodes).length < 41_000]).toEqual([true, true])
    expect(parseMarkdown('# Short\n\n- list\n', anyUrl).isCut).toBe(false)
  })

  test('no nesting is deeper than a page can lay out', () => {
    for (const sign of ['> ', '- ', '*a ', '**a', '1. ', '_a *b ', '>- ', '[']) {
      const nested = parseMarkdown(`${sign.repeat(4000)}x${'a* b_'.repeat(2000)}`, anyUrl)
      expect(depthOf(nested.nodes)).toBeLessThan(32)
    }
  })

  test('any text at all gives a tree within its limits', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('\n', '- ', '> ', '```', '**', '[a](', ')', '\r', '\0', '\u202e', '\ud800'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200 }), (pieces) => {
        const { nodes } = parseMarkdown(pieces.join(''), anyUrl, { characters: 2000, lines: 50, nodes: 100 })
        expect(countOf(nodes)).toBeLessThanOrEqual(160)
      }),
      { numRuns: 500, ...seed() },
    )
  })

  test('the work grows with the length, counted in looks at the text', () => {
    for (const sign of [
      '[',
      ']',
      '*a',
      '_',
      '`',
      '``a`',
      '<',
      '![',
      '[](',
      '\\',
      '&',
      'h',
      '> ',
      '- ',
      'a\n\n',
      '*a_',
      '[a](',
    ]) {
      const [short, long] = [looksAt(sign, 4000), looksAt(sign, 16_000)]
      expect(long, sign).toBeLessThan(short * 6 + 1000)
    }
  })
})

/** How many times a pattern was run over a text of so many characters: time, counted. */
function looksAt(sign: string, characters: number): number {
  const exec = RegExp.prototype.exec
  let looks = 0
  RegExp.prototype.exec = function (text) {
    looks += 1
    return exec.call(this, text)
  }
  try {
    parseMarkdown(sign.repeat(characters / sign.length), anyUrl, { characters, lines: characters, nodes: characters })
  } finally {
    RegExp.prototype.exec = exec
  }
  return looks
}

function countOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((count, node) => count + 1 + ('children' in node ? countOf(node.children) : 0), 0)
}

function depthOf(nodes: readonly MarkdownNode[]): number {
  return nodes.reduce((depth, node) => Math.max(depth, 'children' in node ? 1 + depthOf(node.children) : 1), 0)
}

// The same cases each time: where the two differ is known, and a new difference is no reason to fail a day later.
function seed(): { seed: number } {
  return { seed: Number(process.env['SVC_TEST_SEED'] ?? 20) }
}

// The standard encodes what it writes into an address.
function withoutTargets(html: string): string {
  return html.replace(/ href="[^"]*"/g, '')
}
