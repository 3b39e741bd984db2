/**
 * What the collector learns, does and has in mind, step by step. A step is a line, its outcome what follows the bars:
 *
 *   create X < O    the server has X with the owner O; `remove X`: not any more
 *   seen X < O      an informer shows X; `deleted X`; `sneaked X`: seen, but queued before all other changes
 *   collect         the next object that may have to go is looked at
 *   learn           the next change that is queued reaches the graph
 *
 *   graph           the nodes; ?X is a virtual one
 *   delete          the nodes that wait to be looked at, in order
 *   asked           requests of this step
 *   absent          owners that are known not to exist
 *   changes         what waits to reach the graph
 *   events          names of owners with the namespace in which they are not
 */
export const scenarios = `## a cluster-scoped owner is first taken for one of the namespace
create node1
create pod1 < node1
seen pod1 < node1 | graph ?node1ns1 pod1 | delete ?node1ns1
collect | graph ?node1ns1 pod1 | delete ?node1ns1 | asked get node1
seen node1 | graph node1 pod1 | delete ?node1ns1
collect | graph node1 pod1

## an owner in another namespace is none: seen after the child
create pod1 < pod2
create pod2ns2
seen pod1 < pod2ns2 | graph ?pod2 pod1 | delete ?pod2
seen pod2ns2 | graph pod1 pod2ns2 | delete ?pod2 pod1 | events podname2 in "ns1"
collect | graph pod1 pod2ns2 | delete pod1
collect | graph pod1 pod2ns2 | asked get pod1, get pod2, delete pod1 | absent pod2
deleted pod1 | graph pod2ns2 | absent pod2

## an owner in another namespace is none: seen before the child
create pod1 < pod2
create pod2ns2
seen pod2ns2 | graph pod2ns2
seen pod1 < pod2 | graph pod1 pod2ns2 | delete pod1 | events podname2 in "ns1"
collect | graph pod1 pod2ns2 | asked get pod1, get pod2, delete pod1 | absent pod2
deleted pod1 | graph pod2ns2 | absent pod2

## a cluster-scoped child of an owner with a namespace stays: child first
create node1 < pod1
create pod1
seen node1 < pod1 | graph ?pod1nowhere node1 | delete ?pod1nowhere
collect | graph ?pod1nowhere node1
seen pod1 | graph node1 pod1 | delete node1 | events podname1 in ""
collect | graph node1 pod1 | asked get node1

## a cluster-scoped child of an owner with a namespace stays: owner first
create node1 < pod1
create pod1
seen pod1 | graph pod1
seen node1 < pod1 | graph node1 pod1 | delete node1 | events podname1 in ""
collect | graph node1 pod1 | asked get node1

## an owner may be named by any version that is served
create role
create roleBeta
create pod1 < roleBeta
seen pod1 < roleBeta | graph ?roleBeta pod1 | delete ?roleBeta
collect | graph ?roleBeta pod1 | delete ?roleBeta | asked get roleBeta
seen role | graph pod1 role | delete ?roleBeta pod1
collect | graph pod1 role | delete pod1
collect | graph pod1 role | asked get pod1, get roleBeta
remove role
remove roleBeta
deleted role | graph pod1 | delete pod1 | absent role
collect | graph pod1 | asked get pod1, get roleBeta, delete pod1 | absent role roleBeta
deleted pod1 | absent role roleBeta

## an owner named by a version that is not served stays unverified: child first
create deployment
create pod1 < oldDeployment
seen pod1 < oldDeployment | graph ?oldDeployment pod1 | delete ?oldDeployment
collect | graph ?oldDeployment pod1 | delete ?oldDeployment
seen deployment | graph deployment pod1 | delete ?oldDeployment pod1
collect | graph deployment pod1 | delete pod1
collect | graph deployment pod1 | delete pod1 | asked get pod1
remove deployment
deleted deployment | graph pod1 | delete pod1 | absent deployment
collect | graph pod1 | delete pod1 | asked get pod1 | absent deployment

## an owner named by a version that is not served stays unverified: owner first
create deployment
create pod1 < oldDeployment
seen deployment | graph deployment
seen pod1 < oldDeployment | graph deployment pod1 | delete pod1
collect | graph deployment pod1 | delete pod1 | asked get pod1
remove deployment
deleted deployment | graph pod1 | delete pod1 | absent deployment
collect | graph pod1 | delete pod1 | asked get pod1 | absent deployment

## an absent owner, named by a version that is not served and by one that is
create pod1 < oldDeployment
create pod2 < deployment
seen pod1 < oldDeployment | graph ?oldDeployment pod1 | delete ?oldDeployment
seen pod2 < deployment | graph ?oldDeployment pod1 pod2 | delete ?oldDeployment pod2
collect | graph ?oldDeployment pod1 pod2 | delete pod2 ?oldDeployment
collect | graph ?oldDeployment pod1 pod2 | delete ?oldDeployment | asked get pod2, get deployment, delete pod2 | absent deployment
deleted pod2 | graph ?oldDeployment pod1 | delete ?oldDeployment | absent deployment
collect | graph ?oldDeployment pod1 | delete ?oldDeployment | absent deployment

## an absent owner, named by a version that is served and by one that is not
create pod1 < oldDeployment
create pod2 < deployment
seen pod2 < deployment | graph ?deployment pod2 | delete ?deployment
seen pod1 < oldDeployment | graph ?deployment pod1 pod2 | delete ?deployment pod1
collect | graph ?deployment pod1 pod2 | delete pod1 | asked get deployment | changes absent deployment
collect | graph ?deployment pod1 pod2 | delete pod1 | asked get pod1 | changes absent deployment
learn | graph ?oldDeployment pod1 pod2 | delete pod1 pod2 ?oldDeployment | absent deployment
collect | graph ?oldDeployment pod1 pod2 | delete pod2 ?oldDeployment pod1 | asked get pod1 | absent deployment
collect | graph ?oldDeployment pod1 pod2 | delete ?oldDeployment pod1 | asked get pod2, delete pod2 | absent deployment
collect | graph ?oldDeployment pod1 pod2 | delete pod1 ?oldDeployment | absent deployment
deleted pod2 | graph ?oldDeployment pod1 | delete pod1 ?oldDeployment | absent deployment

## an owner named by a wrong kind: wrong child, right child, absence of the wrong kind, owner
create deployment
create badPod < wrongSecret
create goodPod < deployment
seen badPod < wrongSecret | graph ?wrongSecret badPod | delete ?wrongSecret
seen goodPod < deployment | graph ?wrongSecret badPod goodPod | delete ?wrongSecret goodPod
collect | graph ?wrongSecret badPod goodPod | delete goodPod | asked get wrongSecret | changes absent wrongSecret
collect | graph ?wrongSecret badPod goodPod | asked get goodPod, get deployment | changes absent wrongSecret
learn | graph ?deployment badPod goodPod | delete badPod ?deployment | absent wrongSecret
collect | graph ?deployment badPod goodPod | delete ?deployment | asked get badPod, delete badPod | absent wrongSecret
collect | graph ?deployment badPod goodPod | delete ?deployment | asked get deployment | absent wrongSecret
seen deployment | graph badPod deployment goodPod | delete deployment | absent wrongSecret
deleted badPod | graph deployment goodPod | delete deployment | absent wrongSecret
collect | graph deployment goodPod | asked get deployment | absent wrongSecret

## an owner named by a wrong kind: wrong child, right child, owner, absence of the wrong kind
create deployment
create badPod < wrongSecret
create goodPod < deployment
seen badPod < wrongSecret | graph ?wrongSecret badPod | delete ?wrongSecret
seen goodPod < deployment | graph ?wrongSecret badPod goodPod | delete ?wrongSecret goodPod
collect | graph ?wrongSecret badPod goodPod | delete goodPod | asked get wrongSecret | changes absent wrongSecret
collect | graph ?wrongSecret badPod goodPod | asked get goodPod, get deployment | changes absent wrongSecret
sneaked deployment | graph ?wrongSecret badPod goodPod | changes seen deployment, absent wrongSecret
learn | graph badPod deployment goodPod | delete badPod | changes absent wrongSecret
learn | graph badPod deployment goodPod | delete badPod | absent wrongSecret
collect | graph badPod deployment goodPod | asked get badPod, delete badPod | absent wrongSecret
deleted badPod | graph deployment goodPod | absent wrongSecret

## an owner named by a wrong kind: right child, wrong child, owner
create deployment
create badPod < wrongSecret
create goodPod < deployment
seen goodPod < deployment | graph ?deployment goodPod | delete ?deployment
seen badPod < wrongSecret | graph ?deployment badPod goodPod | delete ?deployment badPod
collect | graph ?deployment badPod goodPod | delete badPod ?deployment | asked get deployment
collect | graph ?deployment badPod goodPod | delete ?deployment | asked get badPod, get wrongSecret, delete badPod | absent wrongSecret
seen deployment | graph badPod deployment goodPod | delete deployment | absent wrongSecret
deleted badPod | graph deployment goodPod | delete deployment | absent wrongSecret
collect | graph deployment goodPod | asked get deployment | absent wrongSecret

## an absent owner of a cluster-scoped child and of one with a namespace
create pod2 < pod1
create node1 < pod1nowhere
seen node1 < pod1nowhere | graph ?pod1nowhere node1 | delete ?pod1nowhere
seen pod2 < pod1 | graph ?pod1nowhere node1 pod2 | delete ?pod1nowhere pod2
collect | graph ?pod1nowhere node1 pod2 | delete pod2
collect | graph ?pod1nowhere node1 pod2 | asked get pod2, get pod1, delete pod2 | absent pod1
deleted pod2 | graph ?pod1nowhere node1 | absent pod1

## an owner of a cluster-scoped child and of one with a namespace, seen late
create pod1
create pod2 < pod1
create node1 < pod1nowhere
seen node1 < pod1nowhere | graph ?pod1nowhere node1 | delete ?pod1nowhere
seen pod2 < pod1 | graph ?pod1nowhere node1 pod2 | delete ?pod1nowhere pod2
collect | graph ?pod1nowhere node1 pod2 | delete pod2
collect | graph ?pod1nowhere node1 pod2 | asked get pod2, get pod1
seen pod1 | graph node1 pod1 pod2 | delete node1 | events podname1 in ""
collect | graph node1 pod1 pod2 | asked get node1

## an absent owner of a child with a namespace and of a cluster-scoped one
create pod2 < pod1
create node1 < pod1nowhere
seen pod2 < pod1 | graph ?pod1 pod2 | delete ?pod1
seen node1 < pod1nowhere | graph ?pod1 node1 pod2 | delete ?pod1 node1
collect | graph ?pod1 node1 pod2 | delete node1 | asked get pod1 | changes absent pod1
collect | graph ?pod1 node1 pod2 | asked get node1 | changes absent pod1
learn | graph ?pod1nowhere node1 pod2 | delete pod2 ?pod1nowhere | absent pod1
collect | graph ?pod1nowhere node1 pod2 | delete ?pod1nowhere | asked get pod2, delete pod2 | absent pod1
deleted pod2 | graph ?pod1nowhere node1 | delete ?pod1nowhere | absent pod1
collect | graph ?pod1nowhere node1 | absent pod1
`;
