const PLACE = /:\d+:\d+\)?$/
const NO_PLACE = /^at (?:.{0,300}\()?<anonymous>\)?$/
const NAME_AT_PLACE = /^[^\s@]{0,200}@\S{1,300}:\d+:\d+$/
// Frames behind one another on one line, “at f (/srv/a.js:1:2)”; a name has up to four words, “async Shop.f [as g]”.
const INLINE_FRAME = /\sat [^\s()]{1,100}(?: [^\s()]{1,100}){0,3} \([^\s()]{1,300}:\d+:\d+\)/g

/** A message without the lines of a stack, as Node, browsers and quoted JSON write them. “At 10:30:00” stays. */
export function withoutStack(words: string): string {
  return words
    .split(/\n|\\n(?=\s{1,12}at )/)
    .filter((line) => !isFrame(line.trim()))
    .join('\n')
    .replaceAll(INLINE_FRAME, (frame) => (isPath(frame) ? '' : frame))
    .trim()
}

function isFrame(line: string): boolean {
  if (NAME_AT_PLACE.test(line)) return true
  if (!line.startsWith('at ')) return false
  return (PLACE.test(line) && isPath(line)) || NO_PLACE.test(line)
}

function isPath(frame: string): boolean {
  return /[\\/.]|node:|<anonymous>/.test(frame)
}
