// Search libraries that a TypeScript user would pick, with their defaults. They are packages of research/measure/ranking/eval.

import { create, insertMultiple, search } from '@orama/orama'
import MiniSearch from 'minisearch'

const fieldsOf = ({ server, name, description = '' }, at) => ({ id: String(at), server, name, description })

const minisearch = {
  id: 'minisearch',
  title: 'minisearch',
  package: 'minisearch',
  async open({ tools }) {
    const index = new MiniSearch({ fields: ['server', 'name', 'description'] })
    index.addAll(tools.map(fieldsOf))
    return {
      async rank(query, count) {
        return index
          .search(query)
          .slice(0, count)
          .map(({ id }) => tools[Number(id)].id)
      },
    }
  },
}

const orama = {
  id: 'orama',
  title: 'Orama',
  package: '@orama/orama',
  async open({ tools }) {
    const index = create({ schema: { server: 'string', name: 'string', description: 'string' } })
    await insertMultiple(index, tools.map(fieldsOf))
    return {
      async rank(query, count) {
        const { hits } = await search(index, { term: query, limit: count })
        return hits.map(({ id }) => tools[Number(id)].id)
      },
    }
  },
}

export const libraries = [minisearch, orama]
