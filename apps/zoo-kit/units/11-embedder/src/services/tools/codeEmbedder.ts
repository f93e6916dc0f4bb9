import type { IEmbedder } from "../code-index/interfaces"

/** As much of the tool router as takes the embedder of the code index. */
interface EmbeddingRouter {
	setEmbedder(embed: (texts: string[]) => Promise<number[][]>, options: object): Promise<unknown>
}

export interface CodeEmbedder {
	embedder: IEmbedder
	/** The provider and its model: vectors of another one are not read. */
	modelId: string
}

interface Followed {
	cacheDir: string
	/** Of the code index as it is now; none where the user has not allowed that it reads texts of tasks. */
	codeEmbedder?(): CodeEmbedder | undefined
	/** Makes the local model the one that ranks. */
	loadModel(): void
}

const followed = new WeakMap<object, () => void>()

/** Looks whether the embedder that ranks tools is another one now. */
export const refreshEmbedder = (router: object) => followed.get(router)?.()

/**
 * Ranks with the embedder of the code index while there is one. Where it fails, as when its key has ended, the local model ranks until
 * the code index has validated one anew.
 */
export function followCodeIndex(router: object, { cacheDir, codeEmbedder, loadModel }: Followed): void {
	// Nothing was looked at: not even the local model ranks.
	let used: CodeEmbedder | undefined | null = null
	let failed: CodeEmbedder | undefined
	const fail = (code: CodeEmbedder) => {
		failed = code
		if (used === code) {
			used = undefined
			loadModel()
		}
	}
	const use = (code: CodeEmbedder) => {
		const embed = async (texts: string[]) => {
			try {
				return (await code.embedder.createEmbeddings(texts)).embeddings
			} catch (error) {
				fail(code)
				throw error
			}
		}
		const { modelId } = code
		;(router as EmbeddingRouter).setEmbedder(embed, { modelId, cacheDir }).catch(() => fail(code))
	}
	const look = () => {
		const given = "setEmbedder" in router ? codeEmbedder?.() : undefined
		const code = given === failed ? undefined : given
		if (code === used) {
			return
		}
		used = code
		if (code) {
			use(code)
		} else {
			loadModel()
		}
	}
	followed.set(router, look)
	look()
}
