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

/** Whether the code index's embedder ranks tools from now on; where none is configured or it fails, the local model does. */
export async function useCodeEmbedder(
	router: object,
	code: CodeEmbedder | undefined,
	cacheDir: string,
): Promise<boolean> {
	if (!code || !("setEmbedder" in router)) {
		return false
	}
	const { embedder, modelId } = code
	const embed = async (texts: string[]) => (await embedder.createEmbeddings(texts)).embeddings
	return (router as EmbeddingRouter).setEmbedder(embed, { modelId, cacheDir }).then(
		() => true,
		() => false,
	)
}
