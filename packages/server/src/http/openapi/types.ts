/** A JSON Schema of dialect 2020-12, or a reference to one of the document’s components. */
export type JsonSchema = Record<string, unknown>

export interface Reference {
  $ref: string
}

export interface Example {
  value: unknown
}

export interface MediaType {
  schema: JsonSchema
  examples: Record<string, Example>
}

export interface Header {
  description: string
  schema: JsonSchema
  example: unknown
}

export interface ResponseObject {
  description: string
  headers: Record<string, Reference | Header>
  content?: Record<string, MediaType>
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description: string
  schema: JsonSchema
}

export interface OperationObject {
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  security: readonly Record<string, readonly string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, MediaType> }
  responses: Record<string, ResponseObject | Reference>
}

/** An OpenAPI 3.1 document, as far as this service writes one. */
export interface OpenApiDocument {
  openapi: '3.1.1'
  info: Record<string, unknown>
  servers: readonly { url: string; description: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Record<string, Record<string, OperationObject>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, ResponseObject>
    headers: Record<string, Header>
    securitySchemes: Record<string, Record<string, unknown>>
  }
}
