/** A command that was not carried out; the message is for the operator. */
export class CommandError extends Error {}
