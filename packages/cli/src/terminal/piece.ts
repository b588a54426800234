export type Style = 'bold' | 'dim' | 'green' | 'red' | 'yellow'

/** A part of a line: plain text, or one in a style where the output has styles. Text never brings its own. */
export type Piece = string | { readonly style: Style; readonly text: string }

export function bold(text: string): Piece {
  return { style: 'bold', text }
}

export function dim(text: string): Piece {
  return { style: 'dim', text }
}

export function green(text: string): Piece {
  return { style: 'green', text }
}

export function red(text: string): Piece {
  return { style: 'red', text }
}

export function yellow(text: string): Piece {
  return { style: 'yellow', text }
}
