import type { Clock } from '../clock.ts'
import { randomText } from './random-text.ts'

export interface SecretRotation {
  /** The new secret. Default: 32 random bytes. */
  readonly secret?: string | undefined
  /** How long the old one stays in use, in seconds. Default: 24 hours. 0 for one that leaked. */
  readonly graceSeconds?: number | undefined
}

const DEFAULT_GRACE_SECONDS = 24 * 60 * 60

/** A signing secret during its rotations, as the control plane holds it. */
export function createRotatingSecret(initial: string, clock: Clock) {
  let current = initial
  let previous: { readonly secret: string; readonly expiresAt: number } | undefined
  let lastWorked: string | undefined

  return {
    /** Which secret to sign with, and the other one if there is one: right after a rotation, the old one comes first. */
    inOrder(): readonly [string, string?] {
      if (!previous || previous.expiresAt <= clock.now()) return [current]
      return lastWorked === current ? [current, previous.secret] : [previous.secret, current]
    },
    /** Notes that the endpoint took this one. */
    worked(secret: string): void {
      lastWorked = secret
    },
    rotate(rotation: SecretRotation = {}): string {
      const { secret = randomText(32), graceSeconds = DEFAULT_GRACE_SECONDS } = rotation
      previous = { secret: current, expiresAt: clock.now() + graceSeconds * 1000 }
      current = secret
      return secret
    },
  }
}
