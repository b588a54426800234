/** The element of the page with this id, which the page is known to have. */
export function byId(id) {
  return document.getElementById(id)
}

/** A new element. Text only ever becomes text, never markup. */
export function element(tag, { className = '', text = '' } = {}, ...children) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text) made.textContent = text
  made.append(...children)
  return made
}

const SVG = 'http://www.w3.org/2000/svg'

/** A drawing from `icons.svg`, for the eye only. */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  const use = document.createElementNS(SVG, 'use')
  use.setAttribute('href', `/icons.svg#${name}`)
  svg.setAttribute('aria-hidden', 'true')
  svg.append(use)
  return svg
}
