import { z } from 'zod'

/** What the client of many streams is to do. */
export const StreamOrder = z.object({
  url: z.url(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  streams: z.number().int().min(1),
  /** Over how long they are opened. */
  rampMs: z.number().min(0),
  /** A text that each event holds once, and one of the last event alone. */
  eventMark: z.string().min(1),
  endMark: z.string().min(1),
})
export type StreamOrder = z.infer<typeof StreamOrder>

/** One stream. Times are milliseconds; the first event counts from the request. */
const SeenStream = z.object({
  status: z.number(),
  events: z.number(),
  firstEventMs: z.number().nullable(),
  longestGapMs: z.number(),
  /** It ended with its last event, and in good order. */
  isComplete: z.boolean(),
})
export type SeenStream = z.infer<typeof SeenStream>

export const SeenStreams = z.object({ streams: z.array(SeenStream), peakOpen: z.number() })
export type SeenStreams = z.infer<typeof SeenStreams>
