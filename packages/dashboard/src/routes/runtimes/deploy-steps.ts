/** Commands for a terminal, and what they are for. */
export interface DeploySteps {
  why: string
  commands: readonly string[]
}

/**
 * The way from an empty folder to a deployment, as `docs/guides/quickstart.md` has it. With `--no`, npx runs what is installed
 * or nothing: the folder holds credentials, and another author's package may have the tool's name.
 */
export const DEPLOY_STEPS: readonly DeploySteps[] = [
  {
    why: 'In a clone of svc, pack its packages (they are not published yet) into the parent folder.',
    commands: [
      'npm pack --silent --workspace packages/contract --workspace packages/sdk --workspace packages/cli --pack-destination ..',
    ],
  },
  {
    why: 'In a new folder beside the clone that contains the .env, create a working project.',
    commands: ['npm install --no-save ../svc-*.tgz', 'npx --no svc init --yes', 'npm install ../svc-*.tgz'],
  },
  { why: 'Serve the capabilities on this machine, at http://127.0.0.1:8790/svc.', commands: ['npx --no svc dev'] },
  { why: 'In another terminal, in the same folder, deploy.', commands: ['npx --no svc deploy'] },
]
