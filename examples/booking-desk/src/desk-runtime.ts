import { withPlainFailures } from '@svc/example-kit'
import { createSqlEffectStore, defineRuntime, type Runtime } from '@svc/sdk'
import { bookRoom } from './capabilities/book-room.ts'
import { bookingDetails } from './capabilities/booking-details.ts'
import { cancelBooking } from './capabilities/cancel-booking.ts'
import { findRooms } from './capabilities/find-rooms.ts'
import { DeskError } from './store/desk-error.ts'
import type { Store } from './store/open-store.ts'

/** Everything an agent may do at this desk. With the effect store, `svc deploy` declares `reconcile: true`. */
export function createDeskRuntime(store: Store): Runtime {
  const capabilities = [findRooms(store), bookRoom(store), bookingDetails(store), cancelBooking(store)]
  return defineRuntime({
    capabilities: capabilities.map((capability) => withPlainFailures(capability, DeskError)),
    effects: createSqlEffectStore(store.database, { clock: store }),
  })
}
