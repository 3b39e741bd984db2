// The servers of upstream's test image that an API server asks, without the rest of that image.
package main

import (
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/kubernetes/test/images/agnhost/crd-conversion-webhook/converter"
	"k8s.io/kubernetes/test/images/agnhost/webhook"
)

func main() {
	root := &cobra.Command{Use: "pod-servers"}
	// Pods give klog's flag.
	root.PersistentFlags().IntP("v", "v", 0, "number for the log level verbosity")
	root.AddCommand(webhook.CmdWebhook, conversion())
	if root.Execute() != nil {
		os.Exit(1)
	}
}

// The image's own command wants to be in a cluster, and makes nothing of it.
func conversion() *cobra.Command {
	var cert, key string
	var port int
	command := &cobra.Command{
		Use: "crd-conversion-webhook",
		RunE: func(*cobra.Command, []string) error {
			http.HandleFunc("/crdconvert", converter.ServeExampleConvert)
			return http.ListenAndServeTLS(fmt.Sprintf(":%d", port), cert, key, nil)
		},
	}
	command.Flags().StringVar(&cert, "tls-cert-file", "", "file with the certificate")
	command.Flags().StringVar(&key, "tls-private-key-file", "", "file with its key")
	command.Flags().IntVar(&port, "port", 443, "port to listen on")
	return command
}
