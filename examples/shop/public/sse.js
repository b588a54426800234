/**
 * Reads server-sent events from the body of a fetch response and yields the JSON of each.
 * Comment lines, which keep an idle stream alive, are passed over; an event cut off at the end is dropped.
 */
export async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const blocks = (rest + value).split(/\r\n\r\n|\n\n|\r\r/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const text = dataOf(block)
        if (text) yield JSON.parse(text)
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function dataOf(block) {
  return block
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^ /, ''))
    .join('\n')
}
