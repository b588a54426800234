const DEMO_LINE = '[Demo model: rules, no language understanding]'

/** Whether the built-in demo model said this: each of its answers begins with a line that says so. */
export function isDemo(text: string): boolean {
  return text.startsWith(DEMO_LINE)
}

/** The text without that line, also while it still comes in. */
export function withoutDemoLine(text: string): string {
  if (DEMO_LINE.startsWith(text)) return ''
  return isDemo(text) ? text.slice(DEMO_LINE.length).trimStart() : text
}
