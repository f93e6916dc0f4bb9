import { Bm25Ranker } from "../Bm25Ranker"
import type { ToolDoc } from "../types"

const doc = (serverName: string, toolName: string, description: string): ToolDoc => ({
	serverName,
	toolName,
	description,
})
const SLACK = doc("slack", "postMessage", "Send a message to a Slack channel")
const JIRA = doc("jira", "createIssue", "Create an issue, and send its link as a comment")
const POSTGRES = doc("postgres", "query", "Run a query on a database")
const ALL = [POSTGRES, JIRA, SLACK]

describe("Bm25Ranker", () => {
	it("puts the tool with more and rarer words of the query first, and leaves out one with none", () => {
		expect(new Bm25Ranker().rank("send slack message", ALL, 10)).toEqual([SLACK, JIRA])
	})

	it("answers nothing for an empty query, an empty list, and no tools wanted", () => {
		const ranker = new Bm25Ranker()
		expect(ranker.rank("", ALL, 10)).toEqual([])
		expect(ranker.rank("?!", ALL, 10)).toEqual([])
		expect(ranker.rank("send", [], 10)).toEqual([])
		expect(ranker.rank("send", ALL, 0)).toEqual([])
		expect(ranker.rank("zebra", ALL, 10)).toEqual([])
	})

	it("reads words whatever their case and punctuation, and keeps to k", () => {
		expect(new Bm25Ranker().rank("SEND, (Slack)!", ALL, 1)).toEqual([SLACK])
	})

	it("leaves equal scores in the order of the list", () => {
		const [first, second] = [doc("a", "one", "same"), doc("b", "two", "same")]
		expect(new Bm25Ranker().rank("same", [second, first], 2)).toEqual([second, first])
	})

	it("takes tools without a description, and another list as another", () => {
		const ranker = new Bm25Ranker()
		const bare = doc("bare", "query", "")
		expect(ranker.rank("query", ALL, 5)).toEqual([POSTGRES])
		expect(new Set(ranker.rank("query", [...ALL, bare], 5))).toEqual(new Set([bare, POSTGRES]))
	})

	it("reads words of every script, also beside Latin ones and where nothing is spaced", () => {
		const docs = [doc("notes", "search", "Поиск заметок"), doc("mail", "send", "メールを送信する"), SLACK]
		const ranker = new Bm25Ranker()
		expect(ranker.rank("найди заметок", docs, 1)).toEqual([docs[0]])
		expect(ranker.rank("顧客にメールを送信", docs, 1)).toEqual([docs[1]])
		expect(ranker.rank("Slackに投稿して", docs, 1)).toEqual([SLACK])
	})

	it("finds the words of a name that is written together, and a plural by its singular", () => {
		expect(new Bm25Ranker().rank("messages", ALL, 1)).toEqual([SLACK])
		expect(new Bm25Ranker().rank("post", ALL, 1)).toEqual([SLACK])
	})

	it("does not take a word that tools of most servers have for what is meant, but one that many of one server have", () => {
		const many = ["one", "two", "three", "four"].flatMap((server) =>
			Array.from({ length: 9 }, (_, at) =>
				doc(server, `tool${at}`, `${server === "one" ? "branch" : "page"} from the list`),
			),
		)
		expect(new Bm25Ranker().rank("ok, go on from the", many, 5)).toEqual([])
		expect(new Bm25Ranker().rank("the branch", many, 99)).toEqual(many.slice(0, 9))
	})
})
