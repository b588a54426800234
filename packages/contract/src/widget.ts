import * as z from 'zod'

/** Answer of `GET /v1/runtime/widget`: what a chat shows where its page says nothing else. All of it is text of the owner. */
export const WidgetSettings = z.object({
  name: z.string().nullable().describe('Of the deployed `website`; null without one.'),
  accent: z.string().nullable().describe('Its `color`, `#rgb` or `#rrggbb`; null without one.'),
  suggestions: z
    .array(z.string())
    .max(3)
    .describe('What to say first, made from names and descriptions of capabilities.'),
})
export type WidgetSettings = z.infer<typeof WidgetSettings>
