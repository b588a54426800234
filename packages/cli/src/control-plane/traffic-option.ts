import { InvalidArgumentError, Option } from 'commander'

/** The option that makes a deployment the candidate. */
export function trafficOption(): Option {
  return new Option('--traffic <percent>', 'of the executions that the candidate serves, from 0 to 100').argParser(
    readPercent,
  )
}

export function readDeployment(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Name the number of a deployment, such as 7.')
  return Number(text)
}

function readPercent(text: string): number {
  if (!/^(100|\d{1,2})$/.test(text)) throw new InvalidArgumentError('Name a whole number of percent, from 0 to 100.')
  return Number(text)
}
