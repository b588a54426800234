/** Where the time comes from, in milliseconds since the epoch. `Date` itself is one. */
export interface Clock {
  now(): number
}
