// An operator with controller-runtime, as its users write them: it keeps a ConfigMap for every Page. The bench of this
// repository compares it with others.
package main

import (
	"context"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type PageSpec struct {
	Text string `json:"text"`
}

type Page struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PageSpec `json:"spec"`
}

type PageList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Page `json:"items"`
}

func (in *Page) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

func (in *PageList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]Page, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*Page)
	}
	return &out
}

type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var page Page
	if err := r.Get(ctx, request.NamespacedName, &page); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	html := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: page.Namespace, Name: page.Name}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &html, func() error {
		html.Data = map[string]string{"index.html": page.Spec.Text}
		return controllerutil.SetControllerReference(&page, &html, r.Scheme())
	})
	return ctrl.Result{}, err
}

func main() {
	ctrl.SetLogger(zap.New())
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.Scheme.AddKnownTypes(version, &Page{}, &PageList{})
	metav1.AddToGroupVersion(scheme.Scheme, version)
	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
	utilruntime.Must(err)
	err = ctrl.NewControllerManagedBy(manager).
		For(&Page{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).
		Complete(&reconciler{manager.GetClient()})
	utilruntime.Must(err)
	if err := manager.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
