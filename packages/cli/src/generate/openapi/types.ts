/** A JSON Schema of dialect 2020-12, or a reference to one of the document’s components. */
export type Schema = Readonly<Record<string, unknown>>

export type Reference = { readonly $ref: string }

export type MediaType = {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

export type Header = {
  readonly description: string
  readonly schema: Schema
}

export type Response = {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference>>
  readonly content: Readonly<Record<'application/json', MediaType>>
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly deprecated?: true
  readonly 'x-capability-version': string
  readonly requestBody: { readonly required: boolean; readonly content: Response['content'] }
  readonly responses: Readonly<Record<string, Response | Reference>>
}

/** An OpenAPI 3.1 document, as far as one of the broker’s routes needs it. */
export type OpenApiDocument = {
  readonly openapi: '3.1.1'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly security: readonly never[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, Header>>
  }
}
