import { z } from 'zod'
import { atLeast, type Check, counted, exactly, withFindings } from '../../support/scenario.ts'

/** What the attack from inside the namespace counted. */
export const SsrfReport = z.object({
  /** Addresses inside that a connection of the attack's own was sent to, and those where it was noted. */
  canaries: z.number(),
  canariesAwake: z.number(),
  spellings: z.number(),
  registered: z.number(),
  deployed: z.number(),
  dispatched: z.number(),
  /** Calls that the guard never saw, because the endpoint was being spared. */
  spared: z.number(),
  controlCalls: z.number(),
  controlReached: z.number(),
  rebindings: z.number(),
  privateAnswers: z.number(),
  rebindingsReached: z.number(),
  redirects: z.number(),
  redirectsReached: z.number(),
  /** Connections to addresses that look public, but for the one that may be reached. */
  otherConnections: z.number(),
  /** Connections to addresses inside, by address. */
  hits: z.record(z.string(), z.number()),
})
export type SsrfReport = z.infer<typeof SsrfReport>

/** What a full attack counts. */
export interface Wanted {
  spellings: number
  rebindings: number
}

/** Judges an attack: that nothing inside was reached, and that what may be reached was. */
export function judgeSsrf(report: SsrfReport, wanted: Wanted): Check[] {
  const hits = Object.entries(report.hits)
  return [
    atLeast('addresses inside that listen', report.canaries, 1),
    exactly('of these note who connects', report.canariesAwake, report.canaries),
    exactly('spellings offered to registration and deployment, and dispatched to', report.dispatched, wanted.spellings),
    counted('spellings that registration took', report.registered),
    counted('spellings that deployment took', report.deployed),
    exactly('dispatches that the guard never saw', report.spared, 0),
    atLeast('dispatches to names whose answers change', report.rebindings, wanted.rebindings),
    atLeast('answers that led inside, as a share of these', report.privateAnswers / report.rebindings, 0.3),
    atLeast('of these dispatches reached outside', report.rebindingsReached / report.rebindings, 0.2),
    atLeast('redirects, refreshes and Alt-Svc that led inside', report.redirects, 1),
    exactly('of these answered by the endpoint itself, once', report.redirectsReached, report.redirects),
    atLeast('calls to the one address that may be reached', report.controlCalls, 1),
    exactly('of these arrived', report.controlReached, report.controlCalls),
    withFindings(
      exactly(
        'connections to addresses inside',
        hits.reduce((sum, [, count]) => sum + count, 0),
        0,
      ),
      hits.map(([address, count]) => `${count} to ${address}`),
    ),
    counted('connections to other public addresses, which some spellings mean', report.otherConnections),
  ]
}
