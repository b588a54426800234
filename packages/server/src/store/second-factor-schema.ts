import type { Counter, Nullable } from './column-schema.ts'

/** The tables of forgotten passwords and two-factor sign-in. */
export interface SecondFactorTables {
  /** Links that set a forgotten password: at most one for each account. */
  password_resets: {
    owner_id: string
    /** A hash under the master key. */
    token_hash: string
    expires_at: number
  }
  /** The secrets that accounts share with an app. */
  second_factors: {
    owner_id: string
    secret_sealed: string
    /** Null until a code of the app was given: it is asked for from then on. */
    confirmed_at: Nullable<number>
    /** The time step of the code that was last accepted: no code up to it is accepted again. */
    last_step: Counter
  }
  recovery_codes: {
    owner_id: string
    /** A hash under the master key. The row is deleted when its code is used. */
    code_hash: string
  }
}
