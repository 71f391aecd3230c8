import { gateError } from '../model/error-codes.js';
import { IRI } from '../model/patterns.js';
import type { Authenticator, Principal } from '../model/principal.js';
import type { Call } from './command.js';
import { variableOf } from './settings.js';

/** The authenticator of the command line: the one principal that the operator names in the environment (contract 7). */
export function environmentAuthenticator(call: Call): Authenticator {
  return { principal: async () => principalOf(call) };
}

/** Whom the runs of this call are made for; throws GateError `principal-missing` when nobody is named. */
export async function requirePrincipal(authenticator: Authenticator): Promise<Principal> {
  const principal = await authenticator.principal();
  if (principal !== null) return principal;
  throw gateError('principal-missing', {
    blame: 'configuration',
    message: 'nobody is named for whom the run is made',
    remedy: 'set DD_PRINCIPAL_ID (an IRI such as mailto:you@example.org) and DD_PRINCIPAL_NAME',
  });
}

function principalOf(call: Call): Principal | null {
  const principalId = variableOf(call, 'DD_PRINCIPAL_ID');
  const name = variableOf(call, 'DD_PRINCIPAL_NAME');
  if (principalId === undefined || name === undefined) return null;
  if (!IRI.test(principalId))
    throw malformed(`DD_PRINCIPAL_ID is ${JSON.stringify(principalId)}`, 'give an IRI such as mailto:you@example.org');
  return { principalId, name, principalKind: kindOf(call), assurance: 'asserted' };
}

function kindOf(call: Call): Principal['principalKind'] {
  const kind = variableOf(call, 'DD_PRINCIPAL_KIND') ?? 'person';
  if (kind === 'person' || kind === 'accountable_role') return kind;
  throw malformed(`DD_PRINCIPAL_KIND is ${JSON.stringify(kind)}`, 'set it to person or accountable_role');
}

function malformed(message: string, remedy: string): Error {
  return gateError('principal-malformed', { blame: 'configuration', message, remedy });
}
