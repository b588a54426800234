/** The model cannot be set up as the environment asks. The message names the variable and says what to set. */
export class ModelConfigError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ModelConfigError'
  }
}
