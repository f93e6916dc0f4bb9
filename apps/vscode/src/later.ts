// Does something soon, and once for many wishes: a hundred servers that connect together are one change of a view.

export class Later {
  #timer: NodeJS.Timeout | undefined
  #isRunning = false
  #again = false

  constructor(
    readonly work: () => unknown,
    readonly pauseMs = 200,
  ) {}

  /** Wishes for it. While it runs, it runs once more afterwards. */
  soon(): void {
    if (this.#isRunning) this.#again = true
    else this.#timer ??= setTimeout(() => void this.#run(), this.pauseMs)
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isRunning = true
    try {
      await this.work()
    } catch (error) {
      console.error(error)
    }
    this.#isRunning = false
    if (this.#again) {
      this.#again = false
      this.soon()
    }
  }

  dispose(): void {
    clearTimeout(this.#timer)
    this.#isRunning = true // nothing begins any more
  }
}
