/** How JSON is read. */
export interface ReadOptions {
  /** Nothing in it is of the protocol, as in arguments and in results. @default false */
  isOpen?: boolean
}

/** Reads JSON; numbers that JavaScript would change are marks, texts that {@link stringify} writes as the numbers again. */
// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse has it
export function parse(json: string, options?: ReadOptions): any

/** Writes JSON; marks are numbers again, with the digits that were read. */
export function stringify(value: unknown, space?: string | number): string

/** JSON with marks for the numbers that JavaScript would change. */
export function withMarks(json: string, options?: ReadOptions): string

/** JSON in which marks are numbers again, also within texts. */
export function withNumbers(json: string): string

/** A value for who takes none with marks: their numbers are what JavaScript makes of them. */
export function withoutMarks<Value>(value: Value): Value

/** A text for people or models without marks in it: of a number its digits stay. */
export function plainText(text: string): string

/** The number that a value is a mark of, as it was written. */
export function numberOf(value: unknown): string | undefined

/** Whether a text may have marks in it. */
export function hasMarks(text: string | Uint8Array): boolean

/** A value with JavaScript's numbers where those are the same numbers. Others stay marks. */
export function asNumbers(value: unknown): unknown

/**
 * Why arguments cannot be given to whoever takes them as values of JavaScript, for the model to read; undefined where they can.
 *
 * @param at - how the whole is called. @default 'arguments'
 */
export function notCarried(json: string, at?: string): string | undefined

/** What a mark begins with. */
export const MARK: string
