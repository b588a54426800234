import { z } from 'zod'
import { atLeast, type Check, counted, exactly, none } from '../../support/scenario.ts'

/** The counts of the attack from inside the namespace. */
export const SsrfReport = z.object({
  /** Addresses inside that the attack itself connected to, and those where it was noted. */
  canaries: z.number(),
  canariesAwake: z.number(),
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
  /** Connections to addresses inside, by address. */
  hits: z.record(z.string(), z.number()),
})
export type SsrfReport = z.infer<typeof SsrfReport>

/** That nothing inside was reached, and that the public address was. */
export function judgeSsrf(report: SsrfReport, wanted: { spellings: number; rebindings: number }): Check[] {
  return [
    atLeast('addresses inside that listen', report.canaries, 1),
    exactly('of these note a connection', report.canariesAwake, report.canaries),
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
    none(
      'connections to addresses inside',
      Object.entries(report.hits).map(([to, count]) => `${count} to ${to}`),
    ),
  ]
}
