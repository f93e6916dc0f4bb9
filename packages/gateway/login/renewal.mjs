// Renewing a login, and nothing else. The SDK's own way begins a new login wherever a renewal fails; here only the
// authorization server ends one, by refusing the refresh token.

import {
  discoverOAuthServerInfo,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
  selectResourceURL,
} from '@modelcontextprotocol/client'

import { LoginRequired } from './provider.mjs'

/** Refusals after which a refresh token is of no use, and what is forgotten with it. */
const REFUSED = new Map([
  [OAuthErrorCode.InvalidGrant, ['tokens']],
  [OAuthErrorCode.InvalidClient, ['client', 'tokens']],
  [OAuthErrorCode.UnauthorizedClient, ['client', 'tokens']],
])

/**
 * @param {import('./provider.mjs').OAuthProvider} provider
 * @param {import('../config/server.mjs').Remote} definition
 * @param {{ challenge: import('./logins.mjs').Challenge, fetchFn: any }} how
 */
export async function renewed(provider, definition, { challenge: { resourceMetadataUrl }, fetchFn }) {
  const { url } = definition
  const found = await discoverOAuthServerInfo(url, { resourceMetadataUrl, fetchFn })
  const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = found
  const issuer = metadata?.issuer ?? String(authorizationServerUrl)
  const before = await provider.tokens()
  // Nothing names its authorization server now, and a guess is no reason for another login.
  if (resourceMetadata === undefined && before?.issuer !== undefined && before.issuer !== issuer)
    throw new Error('its authorization server is not found now')
  provider.saveDiscoveryState({ authorizationServerUrl, authorizationServerMetadata: metadata })
  const clientInformation = await provider.clientInformation({ issuer })
  const tokens = await provider.tokens({ issuer })
  if (!clientInformation || !tokens?.refresh_token) throw new LoginRequired(definition)
  const selected = await selectResourceURL(url, /** @type {any} */ (provider), resourceMetadata)
  // As it stands in the metadata, as the SDK sends it at a login.
  const resource = /** @type {any} */ (selected && resourceMetadata ? resourceMetadata.resource : selected)
  const { refresh_token: refreshToken } = tokens
  try {
    const fresh = await refreshAuthorization(authorizationServerUrl, {
      metadata,
      clientInformation,
      refreshToken,
      resource,
      fetchFn,
    })
    await provider.saveTokens({ ...fresh, issuer })
  } catch (error) {
    const forgotten = error instanceof OAuthError ? REFUSED.get(/** @type {any} */ (error.code)) : undefined
    for (const what of forgotten ?? []) await provider.invalidateCredentials(what)
    throw forgotten ? new LoginRequired(definition) : error
  }
}
