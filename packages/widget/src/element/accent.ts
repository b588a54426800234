type Rgb = [number, number, number]

// As light as text on white may be, and as dark as it may be on the dark background, for a contrast of 4.5.
const MOST_ON_WHITE = 0.18
const LEAST_ON_DARK = 0.22

/** A sheet that gives the chat this colour, `#rgb` or `#rrggbb`, where the page gives none: made legible in light and in dark. */
export function accentSheet(color: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  const light = until(read(color), 0, (luminance) => luminance <= MOST_ON_WHITE)
  const dark = until(read(color), 255, (luminance) => luminance >= LEAST_ON_DARK)
  sheet.replaceSync(`:host{--_accent:var(--svc-accent,light-dark(${css(light)},${css(dark)}));\
--_on-accent:var(--svc-on-accent,light-dark(#fff,#0b0d12))}`)
  return sheet
}

function read(color: string): Rgb {
  const digits = color.length === 4 ? color.replace(/[\da-f]/gi, '$&$&') : color
  const value = Number.parseInt(digits.slice(1), 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

function until(color: Rgb, towards: number, isEnough: (luminance: number) => boolean): Rgb {
  if (isEnough(luminanceOf(color))) return color
  const [red, green, blue] = color.map((part) => Math.round(part + (towards - part) / 10 || towards))
  return until([red ?? 0, green ?? 0, blue ?? 0], towards, isEnough)
}

function luminanceOf(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255
    return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function css(color: Rgb): string {
  return `rgb(${color.join(' ')})`
}
