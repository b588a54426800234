import { abbreviateKey } from '@svc/contract'
import type { Environment } from '../deps.ts'

const KEY = /svc_(?:sk|pk|ak)_[0-9A-Za-z]{16,}/g
const SECRET_VARIABLE = /^SVC_\w*(?:KEY|SECRET|TOKEN|PASSWORD)$/

/**
 * The text with keys in their display form and `[secret]` for the values of the environment’s secret variables. A second wall:
 * a message of somebody else’s code may carry one, and what a terminal shows is kept in pipelines.
 */
export function withholdSecrets(text: string, env: Environment): string {
  return secretsOf(env).reduce(
    (shown, secret) => shown.replaceAll(secret, '[secret]'),
    text.replace(KEY, abbreviateKey),
  )
}

// During a rotation a variable holds a list. What is shorter than any secret could be an ordinary word.
function secretsOf(env: Environment): string[] {
  return Object.entries(env)
    .filter(([name]) => SECRET_VARIABLE.test(name))
    .flatMap(([, value = '']) => value.split(','))
    .map((secret) => secret.trim())
    .filter((secret) => secret.length >= 8)
}
