import { createDeskRuntime, openStore, type Store } from '@svc/example-booking-desk'
import { createHandler, type Runtime } from '@svc/sdk'
import { createFakeControlPlane, type FakeControlPlane } from '@svc/sdk/testing'

export const NOW = Date.UTC(2027, 5, 1, 12)

export const STAY = {
  dates: { arrival: '2027-08-03', departure: '2027-08-05' },
  guests: { adults: 2, children: 1 },
}

export const ADA = { ...STAY, room: 'Loft', contact: { name: 'Ada Byron', email: 'ada@example.com' } } as const

/** A desk in memory on 1 June 2027, and the control plane that calls it. */
export function openDesk(): { store: Store; runtime: Runtime; controlPlane: FakeControlPlane } {
  const store = openStore(':memory:', () => NOW)
  const runtime = createDeskRuntime(store)
  const identity = { runtimeId: 'rt_desk', secret: 'the-signing-secret-of-the-desk', clock: store }
  const handler = createHandler({ ...identity, runtime })
  return { store, runtime, controlPlane: createFakeControlPlane(handler, identity) }
}
