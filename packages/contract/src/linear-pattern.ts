// The engine reads “\k” as the letter, and quotes what follows “\Q”, which JSON Schema knows nothing of.
const FOREIGN = /(?:^|[^\\])(?:\\\\)*\\(?:k<|Q)/

// White space is what JSON Schema’s regular expressions say; the engine’s own is a part of it.
const SPACE = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const OTHERS =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

// The engine knows Unicode’s categories by their short names alone.
const CATEGORIES =
  'Letter=L Cased_Letter=LC Uppercase_Letter=Lu Lowercase_Letter=Ll Titlecase_Letter=Lt Modifier_Letter=Lm ' +
  'Other_Letter=Lo Mark=M Nonspacing_Mark=Mn Spacing_Mark=Mc Enclosing_Mark=Me Number=N Decimal_Number=Nd ' +
  'Letter_Number=Nl Other_Number=No Punctuation=P Connector_Punctuation=Pc Dash_Punctuation=Pd Open_Punctuation=Ps ' +
  'Close_Punctuation=Pe Initial_Punctuation=Pi Final_Punctuation=Pf Other_Punctuation=Po Symbol=S Math_Symbol=Sm ' +
  'Currency_Symbol=Sc Modifier_Symbol=Sk Other_Symbol=So Separator=Z Space_Separator=Zs Line_Separator=Zl ' +
  'Paragraph_Separator=Zp Other=C Control=Cc Format=Cf Surrogate=Cs Private_Use=Co Unassigned=Cn'
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  CATEGORIES.split(' ').map((pair) => [pair.replace(/=.*/, ''), pair.replace(/.*=/, '')]),
)

/**
 * A regular expression of JSON Schema as RE2 writes it, so that it runs in linear time and means the same: white space and
 * categories of characters differ. Throws for a back-reference by name and a quotation, which RE2 would read otherwise.
 */
export function linearPattern(pattern: string): string {
  if (FOREIGN.test(pattern)) throw new Error('a back-reference by name, or a quotation')
  let isInClass = false
  return pattern.replaceAll(/(\\p)\{(?:General_Category=|gc=)?(\w+)\}|\\.|[[\]]/gis, (token, category, name) => {
    if (token === '[') isInClass = true
    if (token === ']') isInClass = false
    if (category) return `${category}{${SHORT_NAMES.get(name) ?? name}}`
    if (token !== '\\s' && token !== '\\S') return token
    const ranges = token === '\\s' ? SPACE : OTHERS
    return isInClass ? ranges : `[${ranges}]`
  })
}
