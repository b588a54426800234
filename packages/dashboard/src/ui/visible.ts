/** Marks that cannot be seen and that turn, hide or split what stands around them. */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g

/** A text as what it is: marks that would have it read otherwise are written out, `\u202e`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
